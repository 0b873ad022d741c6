/** Fields of Fleet's HelmOps and bundles that have another name here, by their last key. */
const OURS: ReadonlyMap<string, string> = new Map([
  ['atomic', 'install.remediation and upgrade.remediation of the entry'],
  ['takeOwnership', 'nothing, as objects are taken over; install.disableTakeOwnership ends that'],
  ['waitForJobs', 'nothing, as jobs are waited for; install.disableWaitForJobs ends that'],
  ['timeoutSeconds', 'timeout of the entry'],
  ['pollingInterval', 'interval'],
  ['defaultNamespace', 'destination.targetNamespace of the entry'],
  ['serviceAccount', 'serviceAccountName'],
  ['helmSecretName', 'source.inline.secretRef'],
  ['insecureSkipTLSVerify', 'source.inline.insecureSkipTLS'],
  ['skipSchemaValidation', 'install.disableSchemaValidation and upgrade.disableSchemaValidation of the entry'],
  ['disableOpenAPIValidation', 'install.disableOpenAPIValidation and upgrade.disableOpenAPIValidation of the entry'],
  ['targetCustomizations', 'overrides of the entry'],
  ['comparePatches', 'ignore of the entry'],
  ['rolloutStrategy', 'spec.rollout'],
]);

/** The path of a field that does not exist, and what says the same if it is one of Fleet. */
export function withOwnName(path: string): string {
  const ours = OURS.get(path.slice(path.lastIndexOf('.') + 1));
  return ours === undefined ? path : `${path} (of Fleet; here: ${ours})`;
}
