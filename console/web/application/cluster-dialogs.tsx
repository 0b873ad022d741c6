import { useState, useRef } from 'preact/hooks';
import { abandonedNames, EVERY_CLUSTER } from '#api/v1alpha1/labels.js';
import { abandonRequest, stuckClusters } from '#queries/views/requests.js';
import { listed } from '#lib/text/text.js';
import {
  acceptCommand,
  clusterObjectText,
  replacedClusters,
  type ReplacedCluster,
} from '#queries/views/accept-cluster.js';
import { ChangeDialog } from '../change/change-dialog.js';
import { Choice } from '../parts/fields.js';
import { ConfirmField, useConfirmation } from '../change/consent.js';
import { abandonCommands, endAbandonCommands } from './model/action-commands.js';
import { applicationOf } from './model/offers.js';
import { DestinationList } from './destination-list.js';
import { type ActionProps, useActionOn } from './view.js';
import { CommandList } from '../parts/command-list.js';
import { Facts } from '../parts/lists.js';

/** Gives up a cluster that is lost: releases there are not waited for, and what they installed stays. */
export function AbandonDialog({ detail, path, close }: ActionProps) {
  const application = applicationOf(detail);
  const clusters = stuckClusters(application).filter((name) => !('refused' in abandonRequest(application, name)));
  // The choice stays, whatever is read meanwhile.
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
      <Choice label="Cluster" value={chosen} choices={clusters} choose={choose} />
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

/** Ends the abandonment: what is deleted on the cluster is uninstalled again. */
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

/** Of the UIDs that are recorded, which are one unless somebody changed them. */
const NAMED = 5;

interface SeenProps {
  readonly cluster: ReplacedCluster;
  /** True: another cluster answers than when this was opened, or others wait. */
  readonly isChanged: boolean;
}

function Seen({ cluster: { object, recorded, found, destinations }, isChanged }: SeenProps) {
  return (
    <>
      {isChanged ? (
        <p class="banner" role="alert">
          It changed since you opened this: check again which cluster answers.
        </p>
      ) : null}
      <p>
        Only if the cluster that answers is the right one: releases are installed on it, and{' '}
        <strong>those that are to be removed are uninstalled from it</strong>, also of other Applications that use it.
        What is on the old cluster is not touched, and nobody removes it any more. If the kubeconfig is wrong, put the
        old one back instead.
      </p>
      <Facts
        facts={{
          'Object that is annotated': clusterObjectText(object),
          'UID of the old cluster': listed(recorded, NAMED),
          'UID of the cluster that answers': found,
        }}
      />
      <DestinationList destinations={destinations} what="What goes on there" />
      <CommandList commands={commandsOf({ object, found })} />
    </>
  );
}

function commandsOf(cluster: Pick<ReplacedCluster, 'object' | 'found'>) {
  const command = acceptCommand(cluster);
  return command === '' ? [] : [{ title: 'The same, for who may edit that object', command }];
}

/** True: of what is chosen, something else is shown than when it was chosen. */
function useChanged(chosen: string, shown: string): boolean {
  const first = useRef({ chosen, shown });
  if (first.current.chosen !== chosen) first.current = { chosen, shown };
  return first.current.shown !== shown;
}

interface ChosenProps extends ActionProps {
  readonly cluster: ReplacedCluster;
  readonly clusters: readonly ReplacedCluster[];
  readonly choose: (object: string) => void;
}

function Chosen({ detail, path, close, cluster, clusters, choose }: ChosenProps) {
  const { object, recorded, found, destinations } = cluster;
  const text = clusterObjectText(object);
  const agreed = JSON.stringify([
    text,
    found,
    recorded,
    destinations.map(({ name, release }) => [name, release]).sort(),
  ]);
  const confirmation = useConfirmation(agreed);
  const isChanged = useChanged(text, agreed);
  const change = useActionOn(detail, path)('accept-cluster-uid', { object: text, clusterUid: found });
  const choices = clusters.map((each) => clusterObjectText(each.object));
  return (
    <ChangeDialog
      title={`Accept a replaced cluster of ${detail.name}`}
      label="Accept"
      isDangerous
      isComplete={confirmation.typed === object.name}
      {...{ change, close }}
    >
      {choices.length > 1 ? <Choice label="Cluster" value={text} {...{ choices, choose }} /> : null}
      <Seen cluster={cluster} isChanged={isChanged} />
      <ConfirmField name={object.name} confirmation={confirmation} />
    </ChangeDialog>
  );
}

/** Accepts the cluster that took the place of another one, as it was seen: the server refuses any other. */
export function AcceptClusterDialog(props: ActionProps) {
  const clusters = replacedClusters(props.detail.destinations);
  const [chosen, choose] = useState(clusters[0] === undefined ? '' : clusterObjectText(clusters[0].object));
  const found = clusters.find(({ object }) => clusterObjectText(object) === chosen);
  // What was chosen stays, also once it is accepted: what the server says then counts.
  const seen = useRef(found);
  seen.current = found ?? seen.current;
  const { current: cluster } = seen;
  return cluster === undefined ? null : <Chosen {...props} {...{ cluster, clusters, choose }} />;
}
