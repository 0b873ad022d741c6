import { useState } from 'preact/hooks';
import { PIN_ANNOTATION, PIN_CLUSTERS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { isPresentEverywhere } from '#queries/views/rollback-requests.js';
import { listed } from '#lib/text/text.js';
import type { HistoryAnswer } from '#queries/answers/revisions.js';
import { CommandList } from '../parts/command-list.js';
import { applicationOf, refusalOf } from './model/offers.js';
import { historyCommands } from '../parts/model/commands.js';
import { revisionWords } from './model/rollout-words.js';
import { Notice } from '../parts/notice.js';
import { OfferButton } from '../parts/said.js';
import { Shown, usePolled } from '../data/polled.js';
import { Mark } from '../parts/state.js';
import { CompareDialog, RollbackDialog } from './revision-dialogs.js';
import type { ViewProps } from './view.js';
import './history.css';

/** Clusters and fields that a card names. */
const NAMED = 12;

type Revision = HistoryAnswer['revisions'][number];
type Asked =
  | { readonly compare: { readonly from: number; readonly to: number } }
  | { readonly rollback: number | undefined }
  | undefined;

interface CardProps {
  readonly revision: Revision;
  /** The one that is kept before it. */
  readonly before: number | undefined;
  readonly refused: string;
  /** True: where each revision is, is known of all clusters. */
  readonly isWhole: boolean;
  /** All clusters have to have it already. */
  readonly isPresent: boolean;
  readonly ask: (asked: Asked) => void;
}

function What({ revision, isWhole }: Pick<CardProps, 'revision' | 'isWhole'>) {
  const { cause, changes, moreChanges, clusters, pinnedClusters } = revision;
  // Of clusters whose children he may not list, nobody knows.
  const none = isWhole ? <p>On no cluster.</p> : null;
  const others = moreChanges > 0 ? ` and ${moreChanges} more` : '';
  return (
    <>
      {cause === '' ? null : <p class="message">{cause}</p>}
      {changes.length === 0 ? null : (
        <p>
          Changed: {listed(changes, NAMED)}
          {others}
        </p>
      )}
      {clusters.length === 0 ? none : <p>{`On ${clusters.length}: ${listed(clusters, NAMED)}`}</p>}
      {pinnedClusters.length === 0 ? null : <p>Pinned by themselves: {listed(pinnedClusters, NAMED)}</p>}
    </>
  );
}

function Card({ revision, before, refused, isWhole, isPresent, ask }: CardProps) {
  const { revision: number, states, createdAt } = revision;
  const isKept = !states.includes('NotKept');
  return (
    <li>
      <h3>
        Revision {number}{' '}
        {revisionWords(revision).map((words) => (
          <span key={words.text} class="tag">
            <Mark {...words} />
          </span>
        ))}
      </h3>
      {createdAt === '' ? null : <p class="hint">{new Date(createdAt).toLocaleString()}</p>}
      <What revision={revision} isWhole={isWhole} />
      {isKept ? (
        <p class="buttons">
          {isPresent ? null : (
            <OfferButton label="Roll back to this" refused={refused} take={() => ask({ rollback: number })} />
          )}
          {before === undefined ? null : (
            <button type="button" onClick={() => ask({ compare: { from: before, to: number } })}>
              Compare with {before}
            </button>
          )}
        </p>
      ) : null}
    </li>
  );
}

interface RevisionsProps {
  readonly history: HistoryAnswer;
  readonly refused: string;
  readonly isPresent: (revision: number) => boolean;
  readonly ask: (asked: Asked) => void;
}

function Revisions({ history: { revisions, unknown, forbidden }, refused, isPresent, ask }: RevisionsProps) {
  if (revisions.length === 0) {
    return (
      <Notice title="It keeps no revisions">
        <p>
          Set <code>spec.revisionHistoryLimit</code> or <code>spec.rollout</code> before the next change.
        </p>
      </Notice>
    );
  }
  return (
    <>
      {forbidden.map((kind) => (
        <p key={kind} class="banner">
          You may not list {kind}s: clusters that have one are missing.
        </p>
      ))}
      <h2>Revisions, newest first ({revisions.length})</h2>
      <ul class="cards">
        {revisions.map((revision, index) => (
          <Card
            key={revision.revision}
            revision={revision}
            before={revisions.slice(index + 1).find(({ states }) => !states.includes('NotKept'))?.revision}
            refused={refused}
            isWhole={forbidden.length === 0}
            isPresent={isPresent(revision.revision)}
            ask={ask}
          />
        ))}
      </ul>
      {unknown.length === 0 ? null : <p>No revision is recorded for {listed(unknown, NAMED)}.</p>}
    </>
  );
}

function pinOf({ annotations }: ViewProps['detail']): string {
  const { [PIN_ANNOTATION]: all, [PIN_CLUSTERS_ANNOTATION]: some } = annotations;
  const texts = [all === undefined ? '' : `all clusters to revision ${all}`, some ?? ''];
  return texts.filter((text) => text !== '').join('; ');
}

function Pin({ detail, ask }: { detail: ViewProps['detail']; ask: RevisionsProps['ask'] }) {
  const pin = pinOf(detail);
  if (pin === '') return null;
  const refused = detail.may.patch ? '' : refusalOf(detail, { problem: '' });
  return (
    <div class="banner">
      <p>Pinned, whatever the spec says, until it is released: {pin}</p>
      <OfferButton label="Release" refused={refused} take={() => ask({ rollback: undefined })} />
    </div>
  );
}

const NO_LIST = 'You may not do this: it needs `list` of controllerrevisions.';

/** The revisions, what each changed, and which clusters have it. */
export function HistoryView({ detail, path }: ViewProps) {
  const { namespace, name, may } = detail;
  const polled = usePolled<HistoryAnswer>(
    `${path}/history`,
    (changed) => changed.name === name && changed.namespace === namespace,
  );
  const [asked, ask] = useState<Asked>();
  const close = (): void => ask(undefined);
  const refused = may.listRevisions ? refusalOf(detail, { annotations: {}, done: '' }) : NO_LIST;
  const application = applicationOf(detail);
  const isPresent = (revision: number): boolean => isPresentEverywhere(application, revision);
  const kept = polled.value?.revisions.filter(({ states }) => !states.includes('NotKept')) ?? [];
  return (
    <>
      <Pin detail={detail} ask={ask} />
      <Shown polled={polled} what="the history">
        {(history) => <Revisions {...{ history, refused, isPresent, ask }} />}
      </Shown>
      {asked !== undefined && 'compare' in asked ? (
        <CompareDialog path={path} first={asked.compare} kept={kept.map(({ revision }) => revision)} close={close} />
      ) : null}
      {asked !== undefined && 'rollback' in asked ? (
        <RollbackDialog detail={detail} path={path} revision={asked.rollback} close={close} />
      ) : null}
      <CommandList commands={historyCommands(detail)} />
    </>
  );
}
