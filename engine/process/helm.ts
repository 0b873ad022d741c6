/** No garbage collection below the limit: the process is short-lived. No configuration of the user applies. */
export function helmEnvironment(folder: string): Record<string, string> {
  const homes = { HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  return { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '192MiB', ...homes };
}
