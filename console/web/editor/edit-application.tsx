import { useMemo, useState } from 'preact/hooks';
import type { ApplicationDetail } from '#queries/answers/application.js';
import { textOf } from './model/application-text.js';
import { Loading, ProblemNotice } from '../parts/notice.js';
import { useSession } from '../session/session.js';
import { useReads } from '../data/reads.js';
import { TEXTS } from './drafts.js';
import { Editor } from './editor.js';
import { applicationUrl } from './send.js';

interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Found {
  readonly initial: string;
  readonly base: ApplicationDetail;
}

function useFound(place: Place, id: string) {
  const { user } = useSession();
  const [draft] = useState<Found | undefined>(() => {
    const { initial = '', base } = TEXTS.of(id, user) ?? {};
    // Of what was typed, it counts what it was typed into.
    return base === undefined ? undefined : { initial, base };
  });
  const url = applicationUrl(place);
  const reads = useReads<ApplicationDetail>(draft === undefined ? [url] : []);
  const { value: base, problem } = reads.of(url);
  const found = useMemo(() => draft ?? (base === undefined ? undefined : { initial: textOf(base), base }), [base]);
  return { found, problem };
}

/** The form of an Application that exists. */
export function EditApplication(place: Place) {
  const id = `${place.namespace}/${place.name}`;
  const { found, problem } = useFound(place, id);
  if (found !== undefined) return <Editor id={id} {...found} namespaces={[]} />;
  return problem === undefined ? <Loading what="the Application" /> : <ProblemNotice problem={problem} />;
}
