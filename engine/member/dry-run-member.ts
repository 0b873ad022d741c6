import { readsOf } from '#runtime/client/fence.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Member } from './member.js';

const DRY = { dryRun: true } as const;

function dryKube(kube: Kube): Kube {
  return {
    ...readsOf(kube),
    create: (type, object, options) => kube.create(type, object, { ...options, ...DRY }),
    update: (type, object, options) => kube.update(type, object, { ...options, ...DRY }),
    apply: (type, object, options) => kube.apply(type, object, { ...options, ...DRY }),
    patch: (type, ref, patch, options) => kube.patch(type, ref, patch, { ...options, ...DRY }),
    delete: (type, ref, options) => kube.delete(type, ref, { ...options, ...DRY }),
    actingAs: (user, allowance) => dryKube(kube.actingAs(user, allowance)),
    // The connections belong to the member itself.
    close: () => Promise.resolve(),
  };
}

/** The same cluster, with every write as a dry run: nothing is changed there. */
export function dryRunMember(member: Member): Member {
  return { ...member, kube: dryKube(member.kube) };
}
