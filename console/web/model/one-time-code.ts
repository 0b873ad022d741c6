import { LOGIN_PAGE } from '../../shared/pages.js';

/** Of a `Location`. */
export interface OpenedUrl {
  readonly pathname: string;
  /** With its `#`. */
  readonly hash: string;
}

/** The code of a link that signs in once; undefined for any other URL. */
export function oneTimeCode({ pathname, hash }: OpenedUrl): string | undefined {
  return pathname === LOGIN_PAGE ? hash.slice(1) : undefined;
}
