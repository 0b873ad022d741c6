/** The path as users write it: `a.b[0]["c.d"]`. */
export function pathText(path: readonly string[]): string {
  return path
    .map((key, index) => {
      if (/^[0-9]+$/.test(key)) return `[${key}]`;
      if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}
