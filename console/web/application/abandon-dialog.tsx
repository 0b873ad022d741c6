import { useState } from 'preact/hooks';
import { abandonedNames, EVERY_CLUSTER } from '#api/v1alpha1/abandon.js';
import { abandonRequest, stuckClusters } from '#queries/views/abandon-request.js';
import { ChangeDialog } from '../change/change-dialog.js';
import { Choice } from '../parts/choice.js';
import { ConfirmField, useConfirmation } from '../change/consent.js';
import { abandonCommands, endAbandonCommands } from './model/action-commands.js';
import { applicationOf } from './model/application-of.js';
import { DestinationList } from './destination-list.js';
import { useActionOn } from './sync-dialog.js';
import type { ActionProps } from './view.js';

/** Gives up a cluster that is lost: releases there are not waited for, and what they installed stays. */
export function AbandonDialog({ detail, path, close }: ActionProps) {
  const application = applicationOf(detail);
  const clusters = stuckClusters(application).filter((name) => !('refused' in abandonRequest(application, name)));
  // What was chosen stays, whatever is read meanwhile.
  const [chosen, choose] = useState(clusters[0] ?? '');
  const rows = detail.destinations.filter(({ cluster }) => cluster === chosen);
  const agreed = JSON.stringify([chosen, rows.map(({ name, release, state }) => [name, release, state])]);
  const confirmation = useConfirmation(agreed);
  const change = useActionOn(detail, path)('abandon', { cluster: chosen });
  return (
    <ChangeDialog
      title={`Abandon a cluster of ${detail.name}`}
      label="Abandon"
      isDangerous
      isComplete={confirmation.typed === chosen}
      commands={abandonCommands(application, chosen)}
      {...{ change, close }}
    >
      <Choice label="Cluster" value={chosen} choices={clusters.map((name) => [name, name] as const)} choose={choose} />
      <p>
        Only for a cluster that will never answer again: releases there that are being deleted, now or later, go without
        an uninstall. <strong>What they installed keeps running if the cluster is still there</strong>, and nobody
        removes it any more.
      </p>
      <DestinationList destinations={rows} what="What is on this cluster" />
      <ConfirmField name={chosen} confirmation={confirmation} />
    </ChangeDialog>
  );
}

/** What is deleted there is uninstalled again. */
export function EndAbandonDialog({ detail, path, close }: ActionProps) {
  const application = applicationOf(detail);
  const names = abandonedNames(application);
  const [chosen, choose] = useState(names[0] ?? '');
  const change = useActionOn(detail, path)('abandon/end', { cluster: chosen });
  const commands = endAbandonCommands(application, chosen);
  const choices = names.map((name) => [name, name === EVERY_CLUSTER ? 'All clusters' : name] as const);
  return (
    <ChangeDialog title={`End abandoning a cluster of ${detail.name}`} label="End" {...{ commands, change, close }}>
      <Choice label="Cluster" value={chosen} choices={choices} choose={choose} />
    </ChangeDialog>
  );
}
