import { useState } from 'preact/hooks';
import { rollbackCommands } from './model/action-commands.js';
import { PlannedDialog } from './planned-dialog.js';
import { useActionOn } from './sync-dialog.js';
import type { ActionProps } from './view.js';

interface ClusterChoiceProps {
  readonly clusters: readonly string[];
  readonly cluster: string;
  readonly choose: (cluster: string) => void;
}

function ClusterChoice({ clusters, cluster, choose }: ClusterChoiceProps) {
  return (
    <label class="field">
      Where
      <select value={cluster} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">All clusters</option>
        {clusters.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface RollbackProps extends ActionProps {
  /** Undefined: a pin is ended. */
  readonly revision: number | undefined;
}

/** Goes back to a revision, or ends that, on all clusters or on one. */
export function RollbackDialog({ detail, path, revision, close }: RollbackProps) {
  const [cluster, choose] = useState('');
  const clusters = [...new Set(detail.destinations.map((each) => each.cluster))].filter((name) => name !== '').sort();
  const where = cluster === '' ? {} : { cluster };
  const body = revision === undefined ? where : { revision, ...where };
  const change = useActionOn(detail, path)(revision === undefined ? 'release' : 'rollback', body);
  const title = revision === undefined ? `Release ${detail.name}` : `Roll ${detail.name} back to revision ${revision}`;
  return (
    <PlannedDialog
      name={detail.name}
      title={title}
      label={revision === undefined ? 'Release' : 'Roll back'}
      commands={rollbackCommands(detail, revision, cluster)}
      {...{ change, close }}
    >
      <ClusterChoice {...{ clusters, cluster, choose }} />
    </PlannedDialog>
  );
}
