import { generateKeyPairSync, sign } from 'node:crypto';

/** One DER value: its tag, the length of its content, its content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const time = (text: string): Buffer => der(0x17, Buffer.from(text));
/** The object identifiers of commonName and ecdsa-with-SHA256. */
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'));
const ALGORITHM = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));

/** A certificate signed by its own key, and that key; both PEM. */
export function selfSigned(): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('test')))));
  const content = sequence(
    der(0x02, Buffer.from([1])),
    ALGORITHM,
    name,
    sequence(time('200101000000Z'), time('490101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const encoded = sequence(content, ALGORITHM, signature).toString('base64');
  const lines = (encoded.match(/.{1,64}/g) ?? []).join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
