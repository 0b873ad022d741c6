import isEqual from 'lodash/isEqual.js';
import type { Application, RevisionContent } from '#api/v1alpha1/application.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import type { TemplateInUse } from '#api/v1alpha1/template.js';
import { isCountOrPercentage } from '#lib/kube/count-or-percentage.js';
import { listed } from '#lib/text/text.js';
import { isEmptyMetadata } from '#lib/kube/namespace-metadata.js';
import { MAX_VALUES_DEPTH, nestsDeeper } from '#lib/json/nesting.js';
import { isMap } from '#lib/plain.js';
import { backendFor, hasBackend } from '../backends/index.js';
import type { ClusterView } from '../child/cluster.js';
import type { Entry, ReleaseKey, Rules, Violation } from '../child/types.js';
import { type ApplicationCheck, firstFound } from '../child/verdicts.js';
import { rolloutProblem } from '../rollout/stages.js';
import { statedEngine, withFluxSpec } from '../spec/flux-spec.js';
import type { Choice } from '../spec/resolved-versions.js';
import type { TemplateView } from '../spec/template-lookup.js';
import { draftsOf, entryOf, factsOfSpec } from './entries.js';
import { expand, type Selection } from './expand.js';
import { releaseIndexValue } from './identity.js';
import { withOverrides } from './overrides.js';
import { type FindViolation, rejectedEntries } from './rejected.js';
import { type Resolved, resolveTemplates } from './template-use.js';

/** Fields that a warning lists. */
const NAMED = 5;

function violation(reason: ApplicationReason, message: string): Violation {
  return { reason, message };
}

function kindIsUnclear(application: Application): Violation | undefined {
  if (statedEngine(application) !== undefined) return undefined;
  const both = application.spec.fluxApp !== undefined;
  const found = both ? 'both spec.fluxApp and spec.argoApp are set' : 'neither spec.fluxApp nor spec.argoApp is set';
  return violation('KindUnclear', `spec.kind is missing and ${found}: set spec.kind, or exactly one of the two`);
}

function kindWasChanged(application: Application): Violation | undefined {
  const kind = statedEngine(application);
  const before = application.status?.kind;
  if (before === undefined || kind === undefined || before === kind) return undefined;
  const message = `spec.kind was ${before} and is now ${kind}: change it back, or create another Application for ${kind}`;
  return violation('KindChanged', message);
}

function engineIsMissing(application: Application): Violation | undefined {
  const engine = statedEngine(application);
  if (hasBackend(engine)) return undefined;
  const message = `spec.kind: this controller has no engine for ${engine ?? ''} yet and does not reconcile the Application; use fluxcd`;
  return violation('EngineNotAvailable', message);
}

function deployIsEmpty(application: Application): Violation | undefined {
  const { entries, entriesPath } = backendFor(application);
  if (entries(application).length > 0) return undefined;
  return violation(
    'DeployEmpty',
    `${entriesPath} is empty: add at least one destination, or delete the Application to remove what it installed`,
  );
}

function maxRemovalsIsJunk({ spec }: Application): Violation | undefined {
  const { maxRemovals } = spec;
  if (maxRemovals === undefined || isCountOrPercentage(maxRemovals)) return undefined;
  const message = `spec.maxRemovals: ${JSON.stringify(maxRemovals)} is neither a number nor a percentage: use e.g. 5 or "10%"`;
  return violation('MaxRemovalsInvalid', message);
}

function specIsTooDeep({ spec }: Application): Violation | undefined {
  const known = factsOfSpec(spec);
  known.isTooDeep ??= nestsDeeper(spec, MAX_VALUES_DEPTH);
  if (!known.isTooDeep) return undefined;
  return violation('ValuesInvalid', `spec nests more than ${MAX_VALUES_DEPTH} lists and maps: make its values flatter`);
}

function rolloutIsInvalid({ spec }: Application): Violation | undefined {
  if (spec.rollout === undefined) return undefined;
  const known = factsOfSpec(spec);
  known.rollout ??= { problem: rolloutProblem(spec.rollout) };
  const { problem } = known.rollout;
  return problem === undefined ? undefined : violation('RolloutInvalid', problem);
}

/** In this order: a later check may rely on the earlier ones. */
function checksOf(application: Application): readonly ApplicationCheck[] {
  return [
    kindIsUnclear,
    kindWasChanged,
    engineIsMissing,
    specIsTooDeep,
    maxRemovalsIsJunk,
    rolloutIsInvalid,
    ...backendFor(application).checks,
    deployIsEmpty,
  ];
}

/** The first violation of the Application as a whole; nothing is rolled out then. Never throws. */
export function findViolation(application: Application, rules: Rules): Violation | undefined {
  return firstFound(checksOf(application), (check) => check(application, rules));
}

/** An Application that is valid as a whole. */
export interface Valid {
  readonly resolved: Resolved;
  /** With their templates merged. */
  readonly entries: readonly Entry[];
  readonly violationOf: FindViolation;
  /** What its selectors chose. */
  readonly selections: readonly Selection[];
  /** What else users should know. */
  readonly warnings: readonly string[];
  /** The versions of its unresolved references; only with a rollout. */
  readonly choices?: readonly Choice[];
}

/** The result of validating an Application on its own. Pending: its template was not validated yet. */
export type Validation = Valid | { readonly violation: Violation } | 'pending';

/** What is looked up for an Application, besides its children. */
export interface Lookup {
  readonly templates: TemplateView;
  readonly clusters: ClusterView;
}

/** What the engine cannot do; it is in the children anyway, for an engine that can. */
function withoutEffect({ entries }: Valid): string[] {
  const ignored = entries.filter((entry) => !isEmptyMetadata(entry.namespaceMetadata));
  if (ignored.length === 0) return [];
  const paths = [...new Set(ignored.map(({ specPath }) => specPath))];
  return [
    `namespaceLabels and namespaceAnnotations have no effect (${listed(paths, NAMED)}): Flux is the engine, and a HelmRelease has no such fields; label the namespaces yourself`,
  ];
}

/** Warns that Flux does not know `deletionPolicy`, and uninstalls children that are deleted with their namespace. */
function withoutProtection({ resolved: { application } }: Valid): string[] {
  if (application.spec.deletionPolicy !== 'Orphan') return [];
  return [
    `deletionPolicy Orphan does not hold if namespace ${application.metadata.namespace ?? ''} is deleted: Flux is the engine, and uninstalls then; set suspend: true in all entries before you delete it`,
  ];
}

/** Warnings about features that an external engine does not have. */
function engineWarnings(valid: Valid, { isEngineExternal = false }: Rules): string[] {
  return isEngineExternal ? [...withoutEffect(valid), ...withoutProtection(valid)] : [];
}

/** Expands the entries of an Application whose templates are merged. Never throws. */
function expanded(
  resolved: Resolved,
  clusters: ClusterView,
  templateOf: (entry: Pick<Entry, 'specPath'>) => TemplateInUse | undefined = (entry) =>
    resolved.templateOf(entry)?.inUse,
): Valid | { readonly violation: Violation } {
  const { namespace = '' } = resolved.application.metadata;
  const expansion = expand(draftsOf(resolved.application), namespace, clusters);
  if ('violation' in expansion) return expansion;
  const { violations, selections } = expansion;
  const personal = withOverrides(expansion.drafts, namespace);
  const entries = personal.drafts.map((draft) => ({
    ...entryOf(resolved.application, draft),
    template: templateOf(draft),
  }));
  const violationOf: FindViolation = ({ path, specPath }) =>
    violations.get(path) ?? resolved.violations.get(specPath) ?? personal.violations.get(path);
  return { resolved, entries, violationOf, selections, warnings: personal.warnings };
}

/** Validates an Application on its own, merges its templates, and expands its entries. Never throws. */
export function validate(application: Application, { templates, clusters }: Lookup, rules: Rules): Validation {
  const violation = findViolation(application, rules);
  if (violation !== undefined) return { violation };
  const resolved = resolveTemplates(application, templates, rules);
  if (resolved === 'pending' || 'violation' in resolved) return resolved;
  const valid = expanded(resolved, clusters);
  if ('violation' in valid) return valid;
  return { ...valid, warnings: [...valid.warnings, ...engineWarnings(valid, rules)] };
}

/** The same with more violations, by the path of an entry. */
export function withViolations(valid: Valid, more: ReadonlyMap<string, Violation>): Valid {
  return { ...valid, violationOf: (entry) => valid.violationOf(entry) ?? more.get(entry.path) };
}

/** What of an entry decides which children it has, and which other ones are without an entry. */
function placeOf({ path, release, kubeConfig, allowedNamespaces, cluster }: Entry): unknown {
  const { id, isPaused } = cluster ?? {};
  return { path, release, kubeConfig, allowedNamespaces, id, isPaused };
}

/** True if two validations of an Application lead to the same destinations, whatever their values are. */
export function haveSameDestinations(one: Validation, other: Validation): boolean {
  const placesOf = (validation: Validation): unknown =>
    validation === 'pending' || 'violation' in validation ? validation : validation.entries.map(placeOf);
  return isEqual(placesOf(one), placesOf(other));
}

/** The releases of the entries, by their index values; none for an Application that is invalid as a whole. */
export function wantedOf({ metadata }: Application, validation: Validation): Map<string, ReleaseKey> {
  if (validation === 'pending' || 'violation' in validation) return new Map();
  const { namespace = '' } = metadata;
  return new Map(validation.entries.map(({ release }) => [releaseIndexValue(namespace, release), release]));
}

/**
 * The releases, by their index values, that an Application of `namespace` claims before younger ones although nobody
 * holds them: those of its valid entries. With a pending template it may have any soon.
 */
export type Claims = ReadonlySet<string> | 'any';

export function claimsOf(validation: Validation, namespace: string): Claims {
  if (validation === 'pending') return 'any';
  if ('violation' in validation) return new Set();
  const { entries, violationOf } = validation;
  const rejected = new Set(rejectedEntries(entries, undefined, violationOf).map(({ entry }) => entry));
  const accepted = entries.filter((entry) => !rejected.has(entry));
  return new Set(accepted.map(({ release }) => releaseIndexValue(namespace, release)));
}

/** The part of an Application that makes a revision: its clusters, and their number, are no part of it. */
export function contentOf({ application, templateOf }: Resolved): RevisionContent | undefined {
  const { fluxApp } = application.spec;
  if (fluxApp === undefined) return undefined;
  const templates = draftsOf(application).flatMap(({ specPath }) => {
    const template = templateOf({ specPath })?.inUse;
    return template === undefined ? [] : [[specPath, template] as const];
  });
  return { spec: fluxApp.spec, templates: Object.fromEntries(templates) };
}

/** The content in a ControllerRevision; undefined for one that somebody else wrote. Never throws. */
export function readContent(data: unknown): RevisionContent | undefined {
  if (!isMap(data) || !isMap(data['spec']) || !isMap(data['spec']['config']) || !isMap(data['templates']))
    return undefined;
  // Only this controller writes it, from an Application that the API server admitted.
  return data as unknown as RevisionContent;
}

/** The destinations of an Application by an earlier revision, on the clusters that there are now. */
export function validAt(
  application: Application,
  { spec, templates }: RevisionContent,
  clusters: ClusterView,
): Valid | { readonly violation: Violation } {
  const resolved: Resolved = {
    application: withFluxSpec(application, spec),
    inUse: [],
    // It is merged already.
    templateOf: () => undefined,
    helm: undefined,
    violations: new Map(),
    warning: undefined,
    sources: [],
  };
  return expanded(resolved, clusters, ({ specPath }) => templates[specPath]);
}
