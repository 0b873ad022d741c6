import { useEffect, useState } from 'preact/hooks';
import type { ApplicationDetail } from '#console/server/model/application-detail.js';
import { textOf } from '../model/application-text.js';
import { problemOf, type Problem } from '../model/problem.js';
import { Loading, ProblemNotice } from '../notice.js';
import { useSession } from '../session.js';
import { draftOf } from './drafts.js';
import { Editor } from './editor.js';
import { readExactly } from './send.js';

interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Found {
  readonly initial: string;
  readonly base: ApplicationDetail;
}

function useFound({ namespace, name }: Place, id: string) {
  const { user, end } = useSession();
  const [found, find] = useState<Found | undefined>(() => {
    const { initial = '', base } = draftOf(id, user) ?? {};
    // Of what was typed, it counts what it was typed into.
    return base === undefined ? undefined : { initial, base };
  });
  const [problem, complain] = useState<Problem | undefined>();
  useEffect(() => {
    if (found !== undefined) return;
    void readExactly({ namespace, name }).then((read) => {
      if ('answer' in read) find({ initial: textOf(read.answer), base: read.answer });
      else if (!('problem' in read)) complain(problemOf({ code: 404, text: 'It cannot be read any more.' }));
      else if (read.problem.kind === 'login') end(read.problem);
      else complain(read.problem);
    });
  }, []);
  return { found, problem };
}

/** The form of an Application that exists. */
export function EditApplication(place: Place) {
  const id = `${place.namespace}/${place.name}`;
  const { found, problem } = useFound(place, id);
  if (problem !== undefined) return <ProblemNotice problem={problem} />;
  if (found === undefined) return <Loading what="the Application" />;
  return <Editor id={id} {...found} namespaces={[]} />;
}
