declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  /** As much of it as tests use: the package has no types. */
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
