import semver from 'semver';

/** Comparators that the Go library of Flux accepts and node's does not, as the one that node knows. */
function inNodeSyntax(range: string): string {
  return range
    .replaceAll('=>', '>=')
    .replaceAll('=<', '<=')
    .replaceAll(/!=\s*[^\s,|]+/g, '*')
    .replaceAll(',', ' ');
}

/** True when `range` is a chart version or a range of versions as Helm and Flux read it, e.g. `5.*` or `>=1.2, <2`. */
export function isVersionRange(range: string): boolean {
  return semver.validRange(inNodeSyntax(range), { loose: true }) !== null;
}
