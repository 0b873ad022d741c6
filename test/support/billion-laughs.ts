/** YAML whose aliases stand for ten times as much on each further line. */
export function billionLaughs(levels: number): string {
  const line = (level: number): string =>
    `l${level}: &l${level} [${Array(10)
      .fill(`*l${level - 1}`)
      .join(',')}]`;
  return ['l0: &l0 [a,a,a,a,a,a,a,a,a,a]', ...Array.from({ length: levels }, (_, index) => line(index + 1))].join('\n');
}
