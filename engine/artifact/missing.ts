function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The result of work on a file; undefined when there is no such file. */
export async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error: unknown) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
