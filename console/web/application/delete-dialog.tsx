import { useState } from 'preact/hooks';
import { listed } from '#lib/text/text.js';
import type { ReadApplication } from '#queries/answers/application.js';
import { ChangeDialog } from '../change/change-dialog.js';
import { ConfirmField, useConfirmation } from '../change/consent.js';
import { deleteCommands } from './model/action-commands.js';
import type { Change } from '../change/model/change.js';
import { deletionWords, type DeletionWords } from './model/deletion-words.js';
import { request } from '../data/request.js';
import { DestinationList } from './destination-list.js';
import { Tick } from '../parts/fields.js';
import type { ActionProps } from './view.js';
import { clusterName } from '../parts/model/destinations.js';

/** Clusters that are named above the list. */
const NAMED = 10;

/** What somebody agrees to: if it is something else, he has to agree again. */
function agreedTo(detail: ReadApplication): string {
  const { uid, spec, destinations } = detail;
  const releases = destinations.map(({ name, cluster, release }) => [name, cluster, release]).sort();
  // What is suspended or abandoned meanwhile is not in the spec.
  return JSON.stringify([uid, spec, releases, deletionWords(detail, false).summary]);
}

interface FallenProps {
  readonly detail: ReadApplication;
  readonly words: DeletionWords;
  readonly isChanged: boolean;
}

/** What would be deleted, and what not. */
function Fallen({ detail: { destinations }, words, isChanged }: FallenProps) {
  const { uninstalls, summary, warnings } = words;
  const clusters = words.clusters.map(clusterName);
  return (
    <>
      {isChanged ? (
        <p class="banner" role="alert">
          It changed since you opened this: check again what would be deleted.
        </p>
      ) : null}
      <p>
        <strong>{summary}</strong>
        {uninstalls ? ` Clusters: ${listed(clusters, NAMED)}.` : ''}
      </p>
      {warnings.map((warning) => (
        <p key={warning} class="banner">
          {warning}
        </p>
      ))}
      <DestinationList destinations={destinations} what="What was deployed" />
    </>
  );
}

export function DeleteDialog({ detail, path, close }: ActionProps) {
  const { name, namespace, resourceVersion } = detail;
  const [keep, setKeep] = useState(false);
  const confirmation = useConfirmation(agreedTo(detail), keep ? 'keep' : '');
  const { typed, isChanged } = confirmation;
  const words = deletionWords(detail, keep);
  const policy: Record<string, string> = keep ? { propagationPolicy: 'Orphan' } : {};
  const changeAt = (version: string): Change => {
    return { method: 'DELETE', path, query: { resourceVersion: version, ...policy } };
  };
  /** What the controller says of the state meanwhile makes it no other deletion. */
  const afresh = async (): Promise<Change | undefined> => {
    const answer = await request<ReadApplication>(path);
    if (answer === undefined || 'failure' in answer) return undefined;
    const { value: now } = answer;
    return agreedTo(now) === agreedTo(detail) ? changeAt(now.resourceVersion) : undefined;
  };
  return (
    <ChangeDialog
      title={`Delete ${name}`}
      label={words.uninstalls ? 'Delete and uninstall' : 'Delete'}
      isDangerous
      isComplete={typed === name}
      change={changeAt(resourceVersion)}
      afresh={afresh}
      words={`The deletion of ${namespace}/${name} is asked for. ${words.summary}`}
      commands={deleteCommands(detail, keep)}
      close={close}
    >
      <Fallen {...{ detail, words, isChanged }} />
      <Tick
        label="Keep what runs"
        hint="Only the Application is deleted; nothing is uninstalled on any cluster."
        value={keep}
        set={setKeep}
      />
      <ConfirmField name={name} confirmation={confirmation} />
    </ChangeDialog>
  );
}
