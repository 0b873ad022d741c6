import type { ResourceType } from '#api/meta.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { Engine } from '../engine.js';
import type { Layer } from '../layers.js';
import type { FoundTemplate, TemplateUse } from '../template-lookup.js';
import type { Child, ChildSpec, Entry, MergedEntry, ReleaseKey, Rules, Violation } from '../types.js';
import type { MatchRule } from './match-rules.js';

export type ApplicationCheck = (application: Application, rules: Rules) => Violation | undefined;
export type EntryCheck = (entry: Entry) => Violation | undefined;

/** What an Application says for this kind of child. */
interface BackendSpec {
  readonly isAsked: (application: Application) => boolean;
  /** The entries as they are written; a valid Application has some. */
  readonly entries: (application: Application) => readonly Layer[];
  /** Where they are, for messages. */
  readonly entriesPath: string;
  /** The lowest layer of each. */
  readonly defaults: Layer;
  /** Where an entry goes; undefined: as what it applies says. */
  readonly targetNamespace: (application: Application, stated: string | undefined) => string | undefined;
  /** What makes the release of an entry one and the same. */
  readonly keyOf: (application: Application, merged: MergedEntry, targetNamespace: string | undefined) => ReleaseKey;
  /** The Application as a whole, in this order: a later check may rely on the earlier ones. */
  readonly checks: readonly ApplicationCheck[];
  readonly entryChecks: readonly EntryCheck[];
  /** True when something of it reads the source that the Application names itself. */
  readonly usesOwnSource: (application: Application) => boolean;
  readonly templateUses: (application: Application) => TemplateUse[];
  /** The same without templates, which are found by the path that names them. */
  readonly withTemplates: (application: Application, found: ReadonlyMap<string, FoundTemplate>) => Application;
  /** What is given in vain, as a sentence. */
  readonly warning: (application: Application) => string | undefined;
  /** The whole spec of the child of an entry, which has `live` now. */
  readonly desiredSpec: (application: Application, entry: Entry, live: Child | undefined) => ChildSpec;
}

/** How its children are told apart. */
interface BackendIdentity {
  readonly keyText: (key: ReleaseKey) => string;
  /** The release that a child is about, with the defaults of its engine for what it leaves out. */
  readonly liveKey: (child: Child) => ReleaseKey;
  /** The release that the engine made last, where that is known. */
  readonly madeKey: (child: Child) => ReleaseKey | undefined;
  /** True for a child that keeps others from its release. */
  readonly isHolder: (child: Child) => boolean;
  /** Equal for two children that an engine would have do the same thing to the same objects. */
  readonly workText: (child: Child) => string;
  /** True when both may have made cluster-wide objects of one name. */
  readonly areNamesakes: (child: Child, other: Child) => boolean;
  /** Where a child goes; undefined: as what it applies says. */
  readonly namespaceOf: (child: Child) => string | undefined;
  /** How an entry finds its child, the strongest first. */
  readonly matchRules: readonly MatchRule[];
  /** For what no rule tells. */
  readonly matchRest: (entries: readonly Entry[], children: readonly Child[]) => RestMatching;
}

/** Which child each entry goes on from, and the entries that may go on from several. */
export interface RestMatching {
  readonly childOf: ReadonlyMap<Entry, Child>;
  /** Each with the children that it may go on from. */
  readonly unclear: ReadonlyMap<Entry, readonly Child[]>;
}

/** What people are told of it. */
interface BackendMessages {
  /** The name of the Helm release; undefined where there is none. */
  readonly releaseName: (key: ReleaseKey) => string | undefined;
  /** What a child has that goes. */
  readonly describeHeld: (key: ReleaseKey) => string;
  /** What a child stands for. */
  readonly describePlace: (child: Child) => string;
  /** What entries with one key have in common, and the way out. */
  readonly describeDuplicate: (entry: Entry) => string;
  /** A child that an entry may go on from. */
  readonly describeCandidate: (child: Child) => string;
}

/** How it is acted upon, and what it reports. */
interface BackendStatus {
  /** True while its source was not fetched for the first time. */
  readonly awaitsSource: (child: Child) => boolean;
  /** True while what runs is merely looked at again. */
  readonly isPeriodicReconcile: (child: Child) => boolean;
  /** The annotations of requests that mean something to it. */
  readonly requests: readonly string[];
  /** Where the console reads the status of the children. */
  readonly consoleField: Exclude<keyof NonNullable<ApplicationStatus['fluxApp']>, 'omitted'>;
}

/** One kind of child that Applications are turned into: all that differs from one kind to the next. */
export interface Backend extends BackendSpec, BackendIdentity, BackendMessages, BackendStatus {
  readonly kind: string;
  readonly resource: ResourceType;
  readonly engine: Engine;
  /** True where the API server may not know the kind. */
  readonly isOptional: boolean;
}
