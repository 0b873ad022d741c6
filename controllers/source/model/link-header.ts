/** A target and its parameters. */
const LINK = /<([^<>]*)>([^<]*)/g;
const NEXT = /;\s*rel\s*=\s*"?next"?\s*(?:[;,]|$)/i;

/** Where the next page is, by a Link header (RFC 8288); undefined after the last one. */
export function nextLink(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(LINK)) {
    if (NEXT.test(parameters)) return target;
  }
  return undefined;
}
