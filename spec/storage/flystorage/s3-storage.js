// A storage in S3 for `samples/upload.ts`: STORAGE is this file; S3_ENDPOINT and S3_BUCKET are its server and bucket.
import { S3Client } from '@aws-sdk/client-s3'
import { AwsS3StorageAdapter } from '@flystorage/aws-s3'
import { FileStorage } from '@flystorage/file-storage'

const client = new S3Client({
  endpoint: process.env.S3_ENDPOINT,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  requestChecksumCalculation: 'WHEN_REQUIRED',
})

export default new FileStorage(
  new AwsS3StorageAdapter(client, { bucket: process.env.S3_BUCKET, publicUrlOptions: { forcePathStyle: true } }),
)
