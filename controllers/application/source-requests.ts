import { helmChartResource } from '#api/flux/helm-chart.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { INLINE_SOURCE_LABEL, LOOKUP_LABEL, PINNED_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { BY_LOOKUP, BY_SOURCE, lookupValues, sourceValues } from './mappings.js';
import { requestedLookup } from './model/sources/version-lookup.js';
import {
  requestedCopy,
  copiesOf,
  copiesOfRevision,
  copyAt,
  copyPlace,
  isSameSpec,
  type Pinned,
  PINNED_RESOURCES,
  type SourceOf,
} from './model/sources/pinned-copy.js';
import {
  requestedSource,
  type RequestedSource,
  hasAll,
  MADE_RESOURCES,
  type SourceView,
} from './model/sources/made-source.js';
import { type SourcePlace, sourceText } from './model/spec/flux-spec.js';
import type { Rules } from './model/child/types.js';

/** What else decides what may be asked for. */
interface Around {
  readonly rules: Rules;
  readonly sourceAt: SourceOf;
}

/** For copies, which the revisions of an Application need as well. */
interface Copies {
  /** The copies of a source that an Application names. */
  readonly ofApplication: (application: Application) => readonly Pinned[];
  readonly ofRevision: (revision: KubeObject) => readonly Pinned[];
  readonly requestedByRevision: (
    revision: KubeObject,
    place: SourcePlace,
    sourceAt: SourceOf,
  ) => RequestedSource | undefined;
}

/** What Applications ask for, of one kind. */
export interface SourceRequest extends Pick<SourceView, 'isCurrent'> {
  /** Of its controller. */
  readonly name: string;
  readonly type: ResourceType;
  /** On what is created for it. */
  readonly label: string;
  /** The value of the label, by the name of what is created. */
  readonly markOf: (name: string) => string;
  /** Of Applications, by what they ask for. */
  readonly index: string;
  readonly valuesOf: (application: Application) => string[];
  /** What an Application asks for in this place; undefined: nothing, or it may not. */
  readonly requestedBy: (application: Application, place: SourcePlace, around: Around) => RequestedSource | undefined;
  readonly copies?: Copies;
}

const isTrue = (): string => 'true';

const COPIES: Copies = {
  ofApplication: copiesOf,
  ofRevision: copiesOfRevision,
  requestedByRevision: (revision, place, sourceAt) => copyAt(copiesOfRevision(revision), place, sourceAt),
};

/** All that Applications ask for. */
export const SOURCE_REQUESTS: readonly SourceRequest[] = [
  ...MADE_RESOURCES.map((type) => ({
    ...{ name: `inline-${type.kind.toLowerCase()}`, type, label: INLINE_SOURCE_LABEL, markOf: isTrue },
    ...{ index: BY_SOURCE, valuesOf: sourceValues, isCurrent: hasAll },
    requestedBy: (application: Application, place: SourcePlace, { rules }: Around) =>
      requestedSource(application, place, rules),
  })),
  {
    ...{ name: 'version-lookup', type: helmChartResource, label: LOOKUP_LABEL, markOf: isTrue },
    ...{ index: BY_LOOKUP, valuesOf: lookupValues, isCurrent: hasAll },
    requestedBy: (application, place, { rules }) => requestedLookup(application, place, rules),
  },
  ...PINNED_RESOURCES.map((type) => ({
    ...{ name: `pinned-${type.kind.toLowerCase()}`, type, label: PINNED_SOURCE_LABEL, copies: COPIES },
    ...{ index: BY_LOOKUP, valuesOf: lookupValues, isCurrent: isSameSpec },
    // A user who copies a copy under another name makes a source of their own.
    markOf: (name: string) => name,
    requestedBy: (application: Application, place: SourcePlace, { sourceAt }: Around) =>
      requestedCopy(application, place, sourceAt),
  })),
];

/** The places of copies, for an index. */
export function copyValues(pinned: readonly Pinned[]): string[] {
  return pinned.map((each) => sourceText(copyPlace(each)));
}

/** The places of the sources of copies, for an index. */
export function originValues(pinned: readonly Pinned[]): string[] {
  return [...new Set(pinned.map(({ source }) => sourceText(source)))];
}
