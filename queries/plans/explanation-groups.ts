import groupBy from 'lodash/groupBy.js';
import isEqual from 'lodash/isEqual.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { ExplainedDestination } from '#controllers/application/simulate.js';
import type { ExplainedValue } from '#controllers/application/model/destinations/personal-values.js';
import { defined } from '#lib/plain.js';
import { keyOf as placeOf } from '#lib/kube/keys.js';
import { printJson } from '#lib/json/lossless-json.js';
import type { ExplanationView, GroupView, ValueView } from '../answers/plans.js';

/** True for what differs from cluster to cluster although layers and paths are the same. */
function isPersonal({ from, written }: Pick<ExplainedValue, 'from' | 'written'>): boolean {
  return written !== undefined || from.endsWith('.valuesTemplate');
}

function keyOfValue(explained: ExplainedValue): unknown {
  const { path, value, from, written, overrode } = explained;
  const below = overrode === undefined ? null : [overrode.from, isPersonal(overrode) ? null : overrode.value];
  return [path, from, written ?? null, isPersonal(explained) ? null : value, below];
}

/** The message without the cluster, which the group names. */
function messageOf({ entry, violation }: ExplainedDestination): string {
  return violation?.message.replaceAll(entry.path, entry.specPath) ?? '';
}

function keyOf(destination: ExplainedDestination): string {
  const { entry, violation, explanation, unread } = destination;
  if (violation !== undefined) return printJson([entry.specPath, violation.reason, messageOf(destination)]);
  const { fields, values } = explanation;
  return printJson([entry.specPath, fields.map(keyOfValue), values.map(keyOfValue), unread]);
}

type Members = readonly ExplainedDestination[];
type Part = 'fields' | 'values';

function sharedOverrode(all: readonly ExplainedValue[]): ValueView['overrode'] {
  const [first] = all;
  if (first?.overrode === undefined) return undefined;
  const { overrode } = first;
  const isShared = all.every((each) => isEqual(each.overrode, overrode));
  return isShared ? overrode : { from: overrode.from };
}

/** The explained values of all members at one place. */
function valueView(members: Members, part: Part, index: number): ValueView[] {
  const all = members.flatMap(({ explanation }) => explanation[part][index] ?? []);
  const [first] = all;
  if (first === undefined) return [];
  const { path, value, from, written: expression } = first;
  const isShared = all.every((each) => isEqual(each.value, value));
  const perCluster = all.map((each, member) => ({
    cluster: members[member]?.entry.clusterName ?? '',
    value: each.value,
  }));
  const said = isShared ? { value } : { perCluster };
  return [{ path, ...said, from, ...defined({ expression, overrode: sharedOverrode(all) }) }];
}

function viewsOf(members: Members, part: Part): ValueView[] {
  return (members[0]?.explanation[part] ?? []).flatMap((_, index) => valueView(members, part, index));
}

function groupView(members: Members, unrendered: string | undefined): GroupView[] {
  const [first] = members;
  if (first === undefined) return [];
  const { entry, violation, unread } = first;
  const shared = {
    entry: entry.specPath,
    kind: entry.release.kind,
    clusters: members.map((each) => each.entry.clusterName),
  };
  if (violation !== undefined) {
    const said = { state: 'Rejected', reason: violation.reason, message: messageOf(first) } as const;
    return [{ ...shared, ...said, fields: [], values: [], notRead: [] }];
  }
  const isIncomplete = unrendered !== undefined && entry.values?.valuesTemplate !== undefined;
  const said = isIncomplete
    ? ({ state: 'Incomplete', reason: 'NotRendered', message: unrendered } as const)
    : ({ state: 'Explained', reason: '', message: '' } as const);
  return [
    { ...shared, ...said, fields: viewsOf(members, 'fields'), values: viewsOf(members, 'values'), notRead: unread },
  ];
}

/**
 * The destinations of an Application in their order, those of one entry together whose values are from the same layers.
 * `unrendered`: why templates of values are not rendered.
 */
export function explanationGroups(
  destinations: readonly ExplainedDestination[],
  unrendered: string | undefined,
): GroupView[] {
  return Object.values(groupBy(destinations, keyOf)).flatMap((members) => groupView(members, unrendered));
}

/** An Application with its groups. */
export function explanationView(
  { metadata, status }: Application,
  destinations: readonly GroupView[],
): ExplanationView {
  const { sources = [] } = status ?? {};
  return { application: placeOf(metadata), ...(sources.length === 0 ? {} : { sources }), destinations };
}
