import type { Claim } from '../model/targets.js';

/** A row of a status, or one that waits. */
interface Row {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly release?: string;
}

/** The claim that a row is about, of those of its Application. */
export function claimOf({ cluster, namespace, release }: Row, claims: readonly Claim[]): Claim | undefined {
  return claims.find(
    ({ target, destination }) =>
      destination.clusterName === cluster &&
      target.namespace === (namespace ?? '') &&
      (release === undefined || target.name === release),
  );
}
