import express from 'express'

export const documentation = (_publicUrl: string | undefined): express.Router => express.Router()
