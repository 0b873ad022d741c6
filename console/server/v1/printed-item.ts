import type { Application } from '#api/v1alpha1/application.js';
import { printJson } from '#lib/json/lossless-json.js';
import { itemOf } from '../../shared/application-detail.js';

const printed = new WeakMap<Application, string>();

/** An Application as lists and streams have it, as JSON, printed once: what is cached does not change. */
export function printedItem(application: Application): string {
  const text = printed.get(application) ?? printJson(itemOf(application));
  printed.set(application, text);
  return text;
}
