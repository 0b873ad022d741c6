/** As in kstatus: the state that an object reports. */
export type HealthStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound' | 'Unknown';

export interface Health {
  readonly status: HealthStatus;
  /** One sentence, for people. */
  readonly message: string;
}
