const DECIMAL = /^\d+$/;

/**
 * True when `version` is of a later write than `than`, both of one type on one server. Kubernetes lets clients compare
 * resource versions as integers (KEP-5504); they may pass 2^53. What is no integer, or missing, is not newer.
 */
export function isNewerVersion(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined || !DECIMAL.test(version) || !DECIMAL.test(than)) return false;
  return BigInt(version) > BigInt(than);
}
