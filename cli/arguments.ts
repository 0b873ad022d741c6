import { InvalidArgumentError } from 'commander';
import { objectName } from '../controllers/option-values.js';

/** The value of a flag that names a namespace. */
export function namespaceArgument(text: string): string {
  const name = objectName(text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError('must be the name of a namespace.');
}
