/** The paths of the dashboard's pages, in the words of fastify: the server answers each with the same page. */
export const PAGES = {
  overview: '/',
  newApplication: '/new',
  application: '/applications/:namespace/:name',
  applicationView: '/applications/:namespace/:name/:view',
  clusters: '/clusters',
  templates: '/templates',
  template: '/templates/:namespace/:kind/:name',
  useTemplate: '/templates/:namespace/:kind/:name/use',
} as const;

/** The page that a link for one sign-in names. It takes the code out of the URL, and then all Applications are shown. */
export const LOGIN_PAGE = '/login';

export type PageName = keyof typeof PAGES;

/** What is served that is no page: first parts of paths, in lower case. Programs ask there, and want no page. */
export const OTHER_PATHS: readonly string[] = [
  ...['api', 'kapis', 'assets', 'session', 'openapi.json', 'healthz', 'readyz', 'livez', 'metrics'],
];

/** Plain parts only: nothing encoded, no `..`, and nothing that a proxy may read in another way. */
const PLAIN_PATH = /^(\/[\w-]+(\.[\w-]+)*)+\/?$/;
const MAX_PATH = 1_024;

/** True if a browser asks for a page by this path, which is none, so that a page has to say so. */
export function isMissingPage(path: string, accepted = ''): boolean {
  if (path.length > MAX_PATH || !PLAIN_PATH.test(path)) return false;
  const [, first = ''] = path.split('/');
  return !OTHER_PATHS.includes(first.toLowerCase()) && /(^|,)\s*text\/html\s*(;|,|$)/i.test(accepted);
}
