/** The stage of all clusters that are in no other one: it may be the last of `stages`, and is there in any case. */
export const REST_STAGE = 'rest';
