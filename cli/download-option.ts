import { InvalidArgumentError, Option } from 'commander';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The URL of a mirror. Throws InvalidArgumentError when it is none, or would be read without TLS. */
export function mirrorUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:') return text;
  if (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname)) return text;
  throw new InvalidArgumentError('must be the https URL of a mirror, or left out.');
}

/** `--download [mirror]`: released programs instead of compiled ones. */
export function downloadOption(): Option {
  const description =
    'fetch the released kube-apiserver, etcd, helm and so on instead of compiling them, from their projects or from ' +
    'HOST/PATH of every address below the URL of a mirror';
  return new Option('--download [mirror]', description).argParser(mirrorUrl);
}
