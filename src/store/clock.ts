/** The time now. Injected, so that leases and retention can be tried without waiting. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
