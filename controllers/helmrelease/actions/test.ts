import type { ActionContext, Outcome } from './context.js';
import { withOutput, runHooks } from './hooks.js';

export interface TestOptions {
  readonly timeoutMs: number;
  /** `exclude` false: run only the named ones, when there is any such filter. */
  readonly filters: readonly { readonly name: string; readonly exclude?: boolean | undefined }[];
}

/** True for a test that the filters leave out. */
export function isSkipped(name: string, filters: TestOptions['filters']): boolean {
  if (filters.some((filter) => filter.exclude === true && filter.name === name)) return true;
  const only = filters.filter((filter) => filter.exclude !== true);
  return only.length > 0 && !only.some((filter) => filter.name === name);
}

/** Runs the release's test hooks and records their results in storage, as `helm test` does. */
export async function test(context: ActionContext, version: number, options: TestOptions): Promise<Outcome> {
  const stored = await context.storage.read(version);
  if (stored === undefined)
    return { record: undefined, error: `revision ${version} is not in Helm's storage any more` };
  const { hooks, error, output } = await runHooks(context, stored.record.hooks ?? [], {
    event: 'test',
    timeoutMs: options.timeoutMs,
    skip: (hook) => isSkipped(hook.name ?? '', options.filters),
  });
  const record = stored.record.hooks === undefined ? stored.record : { ...stored.record, hooks: [...hooks] };
  if (record !== stored.record) await context.storage.update(stored, record);
  return error === undefined ? { record } : { record, error: withOutput(error, output) };
}
