import type { Application } from '../../api/v1alpha1/application.js';
import { patchObserved } from './apply.js';
import type { Pass } from './deps.js';
import type { Halting } from './model/clusters/replaced.js';

/** Patches the version of a child that was decided on, with an event unless it only records. */
export async function halt(
  { op, live, change, message }: Halting,
  application: Application,
  pass: Pass,
): Promise<void> {
  await patchObserved(live, change, pass);
  if (op === 'record') return;
  const [type, reason] = op === 'halt' ? (['Warning', 'Halted'] as const) : (['Normal', 'Resumed'] as const);
  pass.events.record(application, type, reason, message);
}
