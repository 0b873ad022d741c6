import type Type from 'typebox';
import type { ResourceType } from '#api/meta.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { Layer } from '../child/layers.js';
import type { Child, ChildSpec, Entry, MergedEntry, ReleaseKey, Violation } from '../child/types.js';
import type { ApplicationCheck } from '../child/verdicts.js';
import type { Engine } from '../spec/flux-spec.js';
import type { FoundTemplate, TemplateUse } from '../spec/template-lookup.js';

export type EntryCheck = (entry: Entry) => Violation | undefined;

/** The spec of an Application for this kind of child. */
interface BackendSpec {
  readonly isAsked: (application: Application) => boolean;
  /** The entries as written; a valid Application has at least one. */
  readonly entries: (application: Application) => readonly Layer[];
  /** Where they are, for messages. */
  readonly entriesPath: string;
  readonly entrySchema: Type.TSchema;
  /** The lowest layer of each. */
  readonly defaults: Layer;
  /** The merged fields of an entry by the names that Flux has for them. */
  readonly fluxFields: (fields: Layer) => Layer;
  /** The target namespace of an entry; undefined: as specified in the files. */
  readonly targetNamespace: (application: Application, stated: string | undefined) => string | undefined;
  /** Identifies the release of an entry. */
  readonly keyOf: (application: Application, merged: MergedEntry, targetNamespace: string | undefined) => ReleaseKey;
  /** The Application as a whole, in this order: a later check may rely on the earlier ones. */
  readonly checks: readonly ApplicationCheck[];
  readonly entryChecks: readonly EntryCheck[];
  /** True if it uses the source in the spec of the Application. */
  readonly usesOwnSource: (application: Application) => boolean;
  readonly templateUses: (application: Application) => TemplateUse[];
  /** The Application with its templates merged, by the path that refers to them. */
  readonly withTemplates: (application: Application, found: ReadonlyMap<string, FoundTemplate>) => Application;
  /** Fields without effect, as a sentence. */
  readonly warning: (application: Application) => string | undefined;
  /** The whole spec of the child of an entry; `live` is its current child. */
  readonly desiredSpec: (application: Application, entry: Entry, live: Child | undefined) => ChildSpec;
  /** What lies below the values of an entry and is not in the Application, the lowest first, in words. */
  readonly unreadValues: (application: Application, entry: Entry) => string[];
}

/** One way to find the child of an entry: both have the same text; undefined: the rule does not apply. */
export interface MatchRule {
  readonly ofEntry: (entry: Entry) => string | undefined;
  readonly ofChild: (child: Child) => string | undefined;
  /** An additional requirement. */
  readonly agrees?: (entry: Entry, child: Child) => boolean;
  /** The rule does not apply if several entries or children have the same text. */
  readonly isUnique?: boolean;
}

/** How its children are identified. */
interface BackendIdentity {
  readonly keyText: (key: ReleaseKey) => string;
  /** The release of a child, with the defaults of its engine. */
  readonly liveKey: (child: Child) => ReleaseKey;
  /** The last release that the engine created, if known. */
  readonly madeKey: (child: Child) => ReleaseKey | undefined;
  /** What a selector releases, on whichever cluster: the same whatever labels and name its entry gets. */
  readonly selectionText: (key: ReleaseKey) => string;
  /** True for a child that keeps others from its release. */
  readonly isHolder: (child: Child) => boolean;
  /** Equal for two children that an engine would have do the same thing to the same objects. */
  readonly workText: (child: Child) => string;
  /**
   * The target of an entry as text: what it applies, and to which namespace of its cluster. Two objects with the same
   * target would delete each other's work. `live`: the entry's child, if it has one.
   */
  readonly targetOf: (application: Application, entry: Entry, live: Child | undefined) => string;
  /** The targets of a child: `stated` by its spec, `applied` by its status. */
  readonly targetsOf: (child: Child) => { readonly stated: string; readonly applied: string | undefined };
  /** The names that its chart may have, or its directory; none: not known. */
  readonly contentsOf: (child: Child) => readonly string[];
  /** True if both may have created cluster-wide objects of one name. */
  readonly areNamesakes: (child: Child, other: Child) => boolean;
  /** The target namespace of a child; undefined: as specified in the files. */
  readonly namespaceOf: (child: Child) => string | undefined;
  /** The name of its chart, as far as its spec shows it; undefined: it has none. */
  readonly chartOf: (child: Child) => string | undefined;
  /** The uninstall or prune that the engine would do if the child became `object`; undefined: none. */
  readonly reinstallation: (live: Child, object: Child) => Reinstallation | undefined;
  /** The uninstall or prune that would follow if the entry took over what an Application left behind; undefined: none. */
  readonly otherThan: (application: Application, entry: Entry, orphan: Child) => string | undefined;
  /** How an entry finds its child, the strongest rule first. */
  readonly matchRules: readonly MatchRule[];
  /** For entries and children that no rule matches. */
  readonly matchRest: (entries: readonly Entry[], children: readonly Child[]) => RestMatching;
}

/** A change that the engine carries out by first uninstalling or pruning what the child deployed. */
export interface Reinstallation {
  /** Describes the change, e.g. `target namespace a -> b`. */
  readonly why: string;
  /** Equal for changes to the same release with the same chart, or to the same namespace of files. */
  readonly to: string;
}

/** The child that each entry continues, and the entries that may continue several. */
export interface RestMatching {
  readonly childOf: ReadonlyMap<Entry, Child>;
  /** Each with the children that it may continue. */
  readonly unclear: ReadonlyMap<Entry, readonly Child[]>;
}

/** Parts of messages. */
interface BackendMessages {
  /** The name of the Helm release; undefined where there is none. */
  readonly releaseName: (key: ReleaseKey) => string | undefined;
  /** What a terminating child holds. */
  readonly describeHeld: (key: ReleaseKey) => string;
  /** What a child installs, and where. */
  readonly describePlace: (child: Child) => string;
  /** In which order a child that moves leaves its old place and takes its new one. */
  readonly describeMove: (live: Child, object: Child) => string;
  /** Describes the target of an entry. */
  readonly describeTarget: (entry: Entry) => string;
  /** The fields of an entry that the user can change to choose another target. */
  readonly targetFields: string;
  /** The verb for what a deletion does to the deployed objects. */
  readonly deletionVerb: string;
  /** What entries with one key have in common, and the way out. */
  readonly describeDuplicate: (entry: Entry) => string;
  /** A child that an entry may continue. */
  readonly describeCandidate: (child: Child) => string;
}

/** Status and requests. */
interface BackendStatus {
  /** True until its source was fetched for the first time. */
  readonly awaitsSource: (child: Child) => boolean;
  /** True while it is only reconciled at its interval. */
  readonly isPeriodicReconcile: (child: Child) => boolean;
  /** The request annotations that it supports. */
  readonly requests: readonly string[];
  /** The status field of the children for the console. */
  readonly consoleField: Exclude<keyof NonNullable<ApplicationStatus['fluxApp']>, 'omitted'>;
}

/** One kind of child: everything that differs between kinds. */
export interface Backend extends BackendSpec, BackendIdentity, BackendMessages, BackendStatus {
  readonly kind: string;
  readonly resource: ResourceType;
  readonly engine: Engine;
  /** True if the API server may not serve the kind. */
  readonly isOptional: boolean;
}
