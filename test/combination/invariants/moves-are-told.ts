import type { ActionRecord } from '../world/members.js';
import type { Invariant, Scene } from './types.js';

/** An uninstall by which something gets another name, place or chart. */
function isMove({ action, why, application }: ActionRecord): boolean {
  return action === 'uninstall' && application !== undefined && why !== 'deleted';
}

/** (i) Before something is uninstalled to be installed again, an event says so. */
export function movesAreTold(): Invariant {
  /** How many events there were when each child moved last. */
  const heard = new Map<string, number>();
  let mayBeLost = false;
  const judge = ({ child, why }: ActionRecord, { world }: Scene): string[] => {
    const { told } = world;
    const isTold = told.slice(heard.get(child) ?? 0).some(({ reason }) => reason === 'Moving');
    heard.set(child, told.length);
    return isTold ? [] : [`${child} was uninstalled (${why}), and no event Moving says so`];
  };
  return {
    name: 'moves-are-told',
    onStep: ({ do: name }) => {
      // A controller that is killed tells nobody, and somebody else's edit is nobody's move.
      mayBeLost ||= name === 'crash' || name === 'restore' || name === 'child' || name === 'stale';
      return [];
    },
    onActions: (actions, scene) => (mayBeLost ? [] : actions.filter(isMove).flatMap((each) => judge(each, scene))),
  };
}
