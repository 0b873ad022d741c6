import { type Destination, fullNameOf } from '../model/destinations.js';
import type { Claim } from '../model/targets.js';

/** A row of a status, or one that waits. */
interface Row {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly release?: string;
}

function isNameOf({ clusterName, cluster }: Destination, name: string | undefined): boolean {
  return clusterName === name || (cluster !== undefined && fullNameOf(cluster) === name);
}

/** The claim that a row is about, of those of its Application. */
export function claimOf({ cluster, namespace, release }: Row, claims: readonly Claim[]): Claim | undefined {
  return claims.find(
    ({ target, destination }) =>
      isNameOf(destination, cluster) &&
      target.namespace === (namespace ?? '') &&
      (release === undefined || target.name === release),
  );
}
