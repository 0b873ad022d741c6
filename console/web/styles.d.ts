/** Styles are for the bundler: nothing is imported from them. */
declare module '*.css';
