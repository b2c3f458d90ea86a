"""torch_compile_models.py: models of transformers and timm with small configurations and random weights, as cases of
bench/torch_compile_against_triton.py: each once for inference and once for a training step."""
import torch

from torch_compile_functions import Case

_SMALL = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 1000}

# Class of the model, class of its configuration, and what differs from `_SMALL`.
TRANSFORMERS = {
    "llama": ("LlamaForCausalLM", "LlamaConfig", {**_SMALL, "num_key_value_heads": 2}),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", {**_SMALL, "num_key_value_heads": 2}),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", {**_SMALL, "num_key_value_heads": 2, "head_dim": 64}),
    "mistral": ("MistralForCausalLM", "MistralConfig", {**_SMALL, "num_key_value_heads": 2}),
    "gemma2": ("Gemma2ForCausalLM", "Gemma2Config", {**_SMALL, "num_key_value_heads": 2, "head_dim": 64}),
    "phi3": ("Phi3ForCausalLM", "Phi3Config", {**_SMALL, "num_key_value_heads": 4, "pad_token_id": 0}),
    "gpt-neox": ("GPTNeoXForCausalLM", "GPTNeoXConfig", _SMALL),
    "opt": ("OPTForCausalLM", "OPTConfig", {**_SMALL, "ffn_dim": 512, "word_embed_proj_dim": 256}),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", {"n_embd": 256, "n_layer": 2, "n_head": 4, "vocab_size": 1000}),
    "bert": ("BertForMaskedLM", "BertConfig", _SMALL),
    "roberta": ("RobertaForMaskedLM", "RobertaConfig", {**_SMALL, "pad_token_id": 1}),
    "electra": ("ElectraForMaskedLM", "ElectraConfig", {**_SMALL, "embedding_size": 128}),
    "albert": ("AlbertForMaskedLM", "AlbertConfig", {**_SMALL, "embedding_size": 128}),
    "distilbert": ("DistilBertForMaskedLM", "DistilBertConfig", {"dim": 256, "hidden_dim": 512, "n_layers": 2, "n_heads": 4, "vocab_size": 1000}),
    "t5": ("T5ForConditionalGeneration", "T5Config", {"d_model": 256, "d_kv": 64, "d_ff": 512, "num_layers": 2, "num_heads": 4, "vocab_size": 1000, "decoder_start_token_id": 0}),
}  # yapf: disable

TIMM = ["resnet18", "vit_tiny_patch16_224", "convnext_atto", "mixer_s32_224", "regnety_002", "mobilenetv3_small_100", "efficientnet_b0", "swin_tiny_patch4_window7_224"]


def _without_dropout(model):
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model


def _language_model(name, train):
    import transformers
    cls, config, settings = TRANSFORMERS[name]
    config = getattr(transformers, config)(**settings)
    config.use_cache = False
    for field, value in vars(config).items():
        if isinstance(value, float) and ("dropout" in field or field.endswith("pdrop") or field.endswith("_dropout_prob")):
            setattr(config, field, 0.0)
    model = _without_dropout(getattr(transformers, cls)(config)).cuda()
    model = model.train() if train else model.eval().to(torch.bfloat16)
    tokens = torch.randint(2, 1000, (4, 128), device="cuda")
    extra = {"decoder_input_ids": tokens} if name == "t5" else {}

    def forward(tokens):
        return model(input_ids=tokens, **extra).logits

    forward.parameters = list(model.parameters())
    return forward, (tokens, )


def _image_model(name, train):
    import timm
    model = _without_dropout(timm.create_model(name, pretrained=False)).cuda()
    model = model.train() if train else model.eval().to(torch.bfloat16)
    image = torch.randn(4, 3, 224, 224, device="cuda", dtype=torch.float32 if train else torch.bfloat16)

    def forward(image):
        return model(image)

    forward.parameters = list(model.parameters())
    return forward, (image, )


def _cases():
    for make, names in ((_language_model, TRANSFORMERS), (_image_model, TIMM)):
        for name in names:
            for train in (False, True):
                yield Case(f"{name}, {'training' if train else 'inference'}", lambda make=make, name=name, train=train: make(name, train), grad=train)


CASES = list(_cases())
