import type { Application } from '../../../api/v1alpha1/application.js';
import type { ApplicationReason } from '../../../api/v1alpha1/conditions.js';
import { backendFor, hasBackend } from './backends/index.js';
import type { ApplicationCheck } from './backends/types.js';
import { statedEngine } from './engine.js';
import type { Rules, Violation } from './types.js';

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

/** In this order: a later check may rely on the earlier ones. */
function checksOf(application: Application): readonly ApplicationCheck[] {
  return [kindIsUnclear, kindWasChanged, engineIsMissing, ...backendFor(application).checks, deployIsEmpty];
}

/** The first thing that is wrong with the Application as a whole; then nothing of it is acted upon. Never throws. */
export function findViolation(application: Application, rules: Rules): Violation | undefined {
  for (const check of checksOf(application)) {
    const found = check(application, rules);
    if (found !== undefined) return found;
  }
  return undefined;
}
