import { APPROVE_REMOVALS_ANNOTATION } from './labels.js';

/** What approves the removals of an Application that wait, for a shell. */
export function approveCommand(
  { name, namespace = '' }: { readonly name: string; readonly namespace?: string | undefined },
  approval: string,
): string {
  return `kubectl annotate --overwrite gapp ${name} -n ${namespace} ${APPROVE_REMOVALS_ANNOTATION}='${approval}'`;
}
