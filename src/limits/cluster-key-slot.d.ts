/** Which of a cluster's 16,384 slots a key of Redis belongs to. */
declare module "cluster-key-slot" {
  export default function calculateSlot(key: string): number;
}
