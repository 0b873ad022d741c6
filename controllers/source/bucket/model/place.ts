import type { BucketSpec } from '#api/flux/bucket.js';

/** Where the objects of a bucket are. */
export interface BucketPlace {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What comes before the key of an object: `/NAME`, or nothing where the host names the bucket. */
  readonly path: string;
  /** Part of every signature. */
  readonly region: string;
}

/** The region of buckets that have none. */
const DEFAULT_REGION = 'us-east-1';
/** AWS takes the name of a bucket as part of the host; everybody else takes it in the path. */
const AWS_HOST = /^s3(?:[.-](?:dualstack\.)?([a-z]{2,}(?:-[a-z]+)+-\d+))?\.amazonaws\.com(\.cn)?$/;
const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
/** Names that can be part of a host for which AWS has a certificate. */
const HOST_LABEL = /^[a-z0-9][a-z0-9-]*$/;

function endpointUrl(endpoint: string, scheme: string): URL | undefined {
  if (!/^[A-Za-z0-9.:[\]-]+$/.test(endpoint) || !URL.canParse(`${scheme}://${endpoint}`)) return undefined;
  const url = new URL(`${scheme}://${endpoint}`);
  return url.pathname === '/' && url.hostname !== '' ? url : undefined;
}

function awsPlace(
  url: URL,
  { bucketName, region }: BucketSpec,
  [, hostRegion, china = '']: RegExpExecArray,
): BucketPlace {
  const signed = region ?? hostRegion ?? DEFAULT_REGION;
  // The global host redirects to that of the region, and a signature does not survive a redirect.
  const host = hostRegion === undefined ? `s3.${signed}.amazonaws.com${china}` : url.host;
  const isLabel = HOST_LABEL.test(bucketName);
  return {
    origin: `${url.protocol}//${isLabel ? `${bucketName}.` : ''}${host}`,
    path: isLabel ? '' : `/${bucketName}`,
    region: signed,
  };
}

/** Where a bucket is, or what is wrong with its spec. */
export function bucketPlace(spec: BucketSpec): { readonly place: BucketPlace } | { readonly problem: string } {
  const { endpoint, bucketName, region = DEFAULT_REGION, insecure = false } = spec;
  const url = endpointUrl(endpoint, insecure ? 'http' : 'https');
  if (url === undefined) {
    return {
      problem: 'spec.endpoint is not a host: write e.g. s3.example.com or minio.example.com:9000, without https://',
    };
  }
  if (!BUCKET_NAME.test(bucketName)) {
    return { problem: 'spec.bucketName is not the name of a bucket: it has 3 to 63 letters, digits, dots and hyphens' };
  }
  const aws = AWS_HOST.exec(url.hostname);
  if (aws !== null) return { place: awsPlace(url, spec, aws) };
  return { place: { origin: url.origin, path: `/${bucketName}`, region } };
}

/** The URL of an object, as it is signed: every character that could mean something else is escaped. */
export function objectUrl({ origin, path }: BucketPlace, key: string): string {
  const escaped = key.split('/').map((segment) => escapeAll(segment));
  return `${origin}${path}/${escaped.join('/')}`;
}

/** The URL of one page of the objects whose keys begin with `prefix`. */
export function listUrl(
  { origin, path }: BucketPlace,
  { prefix, token }: { readonly prefix: string; readonly token: string | undefined },
): string {
  const query = {
    ...(token === undefined ? {} : { 'continuation-token': token }),
    ...{ 'encoding-type': 'url', 'list-type': '2', prefix },
  };
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${escapeAll(value)}`);
  return `${origin}${path}/?${pairs.join('&')}`;
}

/** As RFC 3986 has it, and signatures want it. */
function escapeAll(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
