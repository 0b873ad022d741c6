import type { ClusterKind } from '../world/clusters.js';

/** A value of JSON; null where a field is to go. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type Labels = Readonly<Record<string, string | null>>;

interface AppStep {
  /** Name of the Application. */
  readonly app: string;
}
interface ClusterStep {
  /** Name of the cluster in the inventory. */
  readonly cluster: string;
}

/** Acts of users on Applications. */
export type ApplicationStep =
  | (AppStep & { readonly do: 'create'; readonly spec: Json; readonly annotations?: Readonly<Record<string, string>> })
  /** `at`: a path from the spec; see `pathOf`. */
  | (AppStep & { readonly do: 'edit'; readonly at: string; readonly to: Json })
  | (AppStep & { readonly do: 'annotate'; readonly key: string; readonly to: string | null })
  | (AppStep & { readonly do: 'delete'; readonly cascade?: 'Orphan' | 'Foreground' })
  /** Does what the status asks for now; nothing if it asks for nothing. */
  | (AppStep & { readonly do: 'approve'; readonly what: 'stage' | 'removals' | 'retry' | 'abort' })
  /** To the revision that many before the newest one; without a cluster the whole Application. */
  | (AppStep & { readonly do: 'pin'; readonly back: number; readonly cluster?: string })
  | (AppStep & { readonly do: 'unpin'; readonly cluster?: string });

/** Acts of users on children, and on objects of their own. */
export type ObjectStep =
  | {
      readonly do: 'child';
      readonly app: string;
      /** Index into the children of the Application, in the order of their names. */
      readonly index: number;
      readonly act: 'delete' | 'suspend' | 'resume' | 'edit' | 'strip';
    }
  | {
      readonly do: 'plain';
      readonly kind: 'HelmRelease' | 'Kustomization';
      readonly name: string;
      readonly act: 'create' | 'edit' | 'suspend' | 'resume' | 'delete';
      readonly cluster?: string;
      /** Release name, or path. */
      readonly what?: string;
      readonly targetNamespace?: string;
      readonly storageNamespace?: string;
      /** The Application for which ks-devops created it. */
      readonly ofKsDevops?: string;
    }
  | { readonly do: 'template'; readonly name: string; readonly chart: string; readonly version: string }
  | { readonly do: 'commit'; readonly number: number }
  /** Everything in the namespace is lost, and comes back with new UIDs and without a status. */
  | { readonly do: 'restore'; readonly keepsStatus: boolean }
  | { readonly do: 'deleteNamespace' }
  /** A ResourceQuota leaves no room for new ControllerRevisions, or does again. */
  | { readonly do: 'quota'; readonly isUsedUp: boolean };

/** Changes of the objects that describe clusters. */
export type InventoryStep =
  | (ClusterStep & {
      readonly do: 'join';
      readonly kind: ClusterKind;
      readonly labels: Labels;
      readonly member: string;
      /** True if it may have the name of a cluster of the other kind. */
      readonly isNameShared?: boolean;
    })
  | (ClusterStep & { readonly do: 'label'; readonly labels: Labels })
  | (ClusterStep & { readonly do: 'lose'; readonly alsoSecret: boolean })
  | (ClusterStep & { readonly do: 'rename'; readonly to: string; readonly keepsOld: boolean })
  /** Its kubeconfig leads to another member from now on, or is no kubeconfig. */
  | (ClusterStep & { readonly do: 'lead'; readonly member: string })
  | (ClusterStep & { readonly do: 'pauseCluster'; readonly isPaused: boolean })
  /** Its object says whether it is ready. */
  | (ClusterStep & { readonly do: 'readyCluster'; readonly isReady: boolean })
  | (ClusterStep & { readonly do: 'accept' });

/** Changes of members. */
export type MemberStep =
  | { readonly do: 'down' | 'up' | 'slow' | 'fast' | 'mend'; readonly member: string }
  /** This version fails there; `*`: all. */
  | { readonly do: 'break'; readonly member: string; readonly version: string };

/** Changes of the controllers' process. None of these may matter in the end. */
export type ProcessStep =
  | { readonly do: 'crash'; readonly afterWrites: number }
  | { readonly do: 'restart' }
  | { readonly do: 'stale'; readonly kinds: readonly ('Application' | 'children' | 'inventory')[] }
  | { readonly do: 'fresh' };

/** Time passes; with a jump of so many seconds, nobody does anything meanwhile. */
export type TimeStep = { readonly do: 'wait' } | { readonly do: 'jump'; readonly by: number };

type AnyStep = ApplicationStep | ObjectStep | InventoryStep | MemberStep | ProcessStep | TimeStep;

/** One step of a story, and the seconds in which everybody then works. */
export type Step = AnyStep & { readonly seconds: number };
export type StepName = AnyStep['do'];

/** Something that is wrong with the product, or was: how it begins, and what happens. */
export interface Story {
  readonly members: readonly string[];
  readonly isEngineExternal?: boolean;
  readonly steps: readonly Step[];
}
