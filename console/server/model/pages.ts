/** The paths of the dashboard's pages, in the words of fastify: the server answers each with the same page. */
export const PAGES = {
  overview: '/',
  application: '/applications/:namespace/:name',
  applicationView: '/applications/:namespace/:name/:view',
} as const;

export type PageName = keyof typeof PAGES;
