import { pino, type DestinationStream, type Logger } from 'pino';

/** Fields that never reach a log, at the places where an object or a request could carry them. */
const SECRET_PATHS = ['token', 'password', 'kubeconfig', 'authorization', 'data', 'stringData'].flatMap((field) => [
  field,
  `*.${field}`,
  `*.*.${field}`,
]);

/** JSON lines, on stdout unless another place is named. `level` is one of pino's, or `silent`. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    },
    destination,
  );
}
