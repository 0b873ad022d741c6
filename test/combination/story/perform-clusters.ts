import type { World } from '../world/world.js';
import type { InventoryStep, MemberStep } from './steps.js';

function rename(world: World, { cluster, to, keepsOld }: Extract<InventoryStep, { do: 'rename' }>): boolean {
  const found = world.clusters.find(cluster);
  if (found === undefined || world.clusters.find(to) !== undefined) return false;
  world.clusters.add({ ...found, name: to });
  if (!keepsOld) world.clusters.remove(cluster, true);
  return true;
}

function accept(world: World, cluster: string): boolean {
  const found = world.clusters.find(cluster);
  const member = world.members.get(found?.leadsTo ?? '');
  if (member !== undefined) world.clusters.accept(cluster, member.uid);
  return member !== undefined;
}

function pause(world: World, { cluster, isPaused }: Extract<InventoryStep, { do: 'pauseCluster' }>): boolean {
  if (world.clusters.find(cluster)?.kind !== 'Cluster') return false;
  world.clusters.patch(cluster, { spec: { paused: isPaused ? true : null } });
  return true;
}

function change(world: World, step: Exclude<InventoryStep, { do: 'join' }>): boolean {
  const { clusters } = world;
  if (clusters.find(step.cluster) === undefined) return false;
  switch (step.do) {
    case 'label':
      clusters.patch(step.cluster, { metadata: { labels: step.labels } });
      return true;
    case 'lose':
      clusters.remove(step.cluster, step.alsoSecret);
      return true;
    case 'rename':
      return rename(world, step);
    case 'lead':
      clusters.lead(step.cluster, step.member);
      return true;
    case 'pauseCluster':
      return pause(world, step);
    case 'readyCluster':
      return world.clusters.report(step.cluster, step.isReady);
    case 'accept':
      return accept(world, step.cluster);
  }
}

/** True: the step meant something. */
export function performOnInventory(world: World, step: InventoryStep): boolean {
  world.probeSoon();
  if (step.do !== 'join') return change(world, step);
  const kind = step.isNameShared === true ? step.kind : undefined;
  if (world.clusters.find(step.cluster, kind) !== undefined) return false;
  const labels = Object.fromEntries(Object.entries(step.labels).map(([key, value]) => [key, value ?? '']));
  world.clusters.add({ kind: step.kind, name: step.cluster, labels, leadsTo: step.member });
  return true;
}

/** True: the step meant something. */
export function performOnMember(world: World, step: MemberStep): boolean {
  const member = world.members.get(step.member);
  if (member === undefined) return false;
  switch (step.do) {
    case 'down':
    case 'up':
      member.isDown = step.do === 'down';
      break;
    case 'slow':
    case 'fast':
      member.isSlow = step.do === 'slow';
      break;
    case 'mend':
      member.broken.clear();
      break;
    case 'break':
      member.broken.add(step.version);
  }
  world.probeSoon();
  return true;
}
