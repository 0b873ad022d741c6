/** A pod that a message blames. */
export interface BlamedPod {
  readonly namespace: string;
  readonly name: string;
  /** Undefined where no container ever started. */
  readonly container: string | undefined;
  /** Its output is that of the run before. */
  readonly isRestarting: boolean;
}

const POD = /\bPod\/([a-z0-9-]+)\/([a-z0-9.-]+): (?:container ([a-z0-9-]+): (restarted after|exit code)?)?/g;

/** The pod that the embedded engine names as the cause; the one of a container that has run, where there is one. */
export function podInMessage(message: string): BlamedPod | undefined {
  const pods = [...message.matchAll(POD)].map(([, namespace = '', name = '', container, end]) => ({
    namespace,
    name,
    container: end === undefined ? undefined : container,
    isRestarting: end === 'restarted after',
  }));
  return pods.find(({ container }) => container !== undefined) ?? pods[0];
}
