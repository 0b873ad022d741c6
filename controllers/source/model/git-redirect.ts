import { gitUrlProblem } from './urls.js';

/** What git asks a server for first, written as git writes it. */
export function discoveryUrl(url: string): string {
  return `${url}${url.endsWith('/') ? '' : '/'}info/refs${url.includes('?') ? '&' : '?'}service=git-upload-pack`;
}

/**
 * The repository that the one at `url` was moved to, when `answered` is where the redirects of its first request end. As
 * in git, only the beginning of that may differ.
 */
export function redirectedUrl(url: string, answered: string): { readonly url: string } | { readonly problem: string } {
  const tail = discoveryUrl(url).slice(url.length);
  const moved = answered.slice(0, -tail.length);
  if (answered.endsWith(tail) && gitUrlProblem(moved) === undefined) return { url: moved };
  return { problem: 'the server redirects to what is not the URL of a git repository: correct spec.url' };
}
