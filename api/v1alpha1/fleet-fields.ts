import { IgnoreRule } from '../flux/common.js';
import { flag, list, object, optional } from '../schema.js';

/** Names that Fleet has for fields of Flux. */
export const pausedField = { paused: optional(flag('The same as suspend.')) };

export const driftFields = {
  correctDrift: optional(
    object('The same as driftDetection.mode: enabled or disabled.', {
      enabled: flag('If true, changes of live objects are undone.'),
      force: optional(flag('Must be false: Flux corrects drift by server-side apply, and recreates nothing.')),
    }),
  ),
  ignore: optional(list('The same as driftDetection.ignore: differences to ignore.', IgnoreRule)),
};
