import { HASH_LENGTH, shortHash } from '../../runtime/pure/short-hash.js';

const MAX_LABEL_VALUE = 63;

/** A label value for an object's name: the name itself, or its start and a hash when it is over 63 characters. */
export function labelValue(name: string): string {
  if (name.length <= MAX_LABEL_VALUE) return name;
  const start = name.slice(0, MAX_LABEL_VALUE - HASH_LENGTH - 1).replace(/[^a-zA-Z0-9]+$/, '');
  return `${start}-${shortHash(name)}`;
}

/**
 * Key of a destination as ks-devops made it and the console reads it: the target namespace, with the name of the
 * kubeconfig Secret in front for a member; `host` when there is neither. Not unique (`a`+`b-c` and `a-b`+`c`), so never
 * an identity.
 */
export function destinationKey(secretName: string | undefined, targetNamespace: string | undefined): string {
  const parts = [secretName, targetNamespace].filter((part) => part !== undefined);
  return parts.length === 0 ? 'host' : parts.join('-');
}

/**
 * Key under which the console looks a destination up in the status: as ks-devops makes it, nothing stands for a target
 * namespace that the entry leaves open.
 */
export function consoleKey(secretName: string | undefined, statedNamespace = ''): string {
  return secretName === undefined ? statedNamespace : `${secretName}-${statedNamespace}`;
}

/**
 * What stands for the release name where there is no release: the Application, and the name of the entry if it has one.
 */
export function filesName(application: string, entryName: string | undefined): string {
  return entryName === undefined ? labelValue(application) : `${labelValue(application)}/${entryName}`;
}
