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
