/** How a delivery begins: with a workflow, or with a first attempt that the worker makes itself. */
export const deliveryLanes = ['workflow', 'express'] as const;

/** `auto`: a workflow while the relay keeps up, otherwise express. */
export const laneSettings = [...deliveryLanes, 'auto'] as const;
