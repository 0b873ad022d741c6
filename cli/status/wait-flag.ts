/** What commander makes of `--wait [state]`. */
export type WaitFlag = true | string;

const READY = 'Ready';

/**
 * The name of the Application, which may have been taken for the state: `--wait web` is `web --wait`. No Application is
 * called `Ready`, for names are lower-case. Throws when both are given and the state is not one to wait for, or one is
 * misspelt.
 */
export function nameOf(argument: string | undefined, wait: WaitFlag | undefined): string | undefined {
  if (wait === undefined || wait === true || wait === READY) return argument;
  const isMisspelt = wait.toUpperCase() === READY.toUpperCase();
  if (argument === undefined && /^[a-z0-9]/.test(wait) && !isMisspelt) return wait;
  throw new Error(`--wait=${wait}: the state must be ${READY}; the name of an Application goes first`);
}
