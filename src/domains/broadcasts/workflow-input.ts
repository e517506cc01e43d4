/** Only the id: the row holds the broadcast. */
export interface BroadcastInput {
  jobId: string;
}

/** `workflows/broadcast.ts` */
export type BroadcastWorkflow = (input: BroadcastInput) => Promise<unknown>;
