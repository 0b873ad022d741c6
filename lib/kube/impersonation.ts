import type { UserInfo } from '#api/core.js';
import { TerminalError } from '../errors.js';

/** By name; a list is sent as that many headers. */
export type Headers = Record<string, string | string[]>;

/** Outer spaces are lost on the way, and control characters end a header. */
const UNSENDABLE = /^\s|\s$|[\u0000-\u001f\u007f]/;

/**
 * HTTP/1.1 sends bytes, and the API server reads these as UTF-8. Throws a TerminalError for a text that would arrive as
 * another one: that may be somebody with more rights.
 */
function headerValue(text: string): string {
  if (UNSENDABLE.test(text)) {
    throw new TerminalError(
      'UserInvalid',
      `${JSON.stringify(text)} cannot be impersonated: it is no name of a user or group`,
    );
  }
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Names of headers hold few characters; the API server decodes the others. */
function extraName(key: string): string {
  const encoded = encodeURIComponent(key).replace(/[()*'!~]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `impersonate-extra-${encoded}`;
}

/**
 * What makes the API server treat a request as the user's own: all that decides about his rights, or it would be
 * somebody else. Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonationHeaders({ username, uid = '', groups = [], extra = {} }: UserInfo): Headers {
  const more = Object.entries(extra).map(([key, values]): [string, string[]] => [
    extraName(key),
    values.map(headerValue),
  ]);
  return {
    'impersonate-user': headerValue(username),
    ...(uid === '' ? {} : { 'impersonate-uid': headerValue(uid) }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups.map(headerValue) }),
    ...Object.fromEntries(more.filter(([, values]) => values.length > 0)),
  };
}
